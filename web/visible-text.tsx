import { useMemo } from 'preact/hooks';
import { type Fold, foldBlanks } from '../src/core/fold-blanks.js';
import { nameCharacters } from '../src/core/text.js';
import './visible-text.css';

/** Text of which nothing can hide: see `splitAtOddCharacters`. */
export function VisibleText({ text }: { readonly text: string }) {
  return (
    <>
      {nameCharacters(text).map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span class="odd-character" title={part.name}>
            {part.shown}
          </span>
        ),
      )}
    </>
  );
}

/** Text of several lines of which nothing can hide, not behind blank space either: see `foldBlanks`. */
export function VisibleLines({ text }: { readonly text: string }) {
  const parts = useMemo(() => foldBlanks(text), [text]);
  return (
    <>
      {parts.map((part) =>
        typeof part === 'string' ? <VisibleText text={part} /> : <FoldMark fold={part.fold} />,
      )}
    </>
  );
}

export function FoldMark({ fold }: Fold) {
  return <span class="fold">{fold}</span>;
}
