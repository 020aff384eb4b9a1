import { useMemo } from 'preact/hooks';
import { type Fold, foldBlanks } from '../src/core/fold-blanks.js';
import { type NamingLevel, nameCharacters } from '../src/core/text.js';
import './visible-text.css';

export interface VisibleProps {
  readonly text: string;
  readonly level?: NamingLevel | undefined;
}

/** Text of which nothing can hide: see `nameCharacters`. */
export function VisibleText({ text, level }: VisibleProps) {
  return (
    <>
      {nameCharacters(text, level).map((part) =>
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
export function VisibleLines({ text, level }: VisibleProps) {
  const parts = useMemo(() => foldBlanks(text), [text]);
  return (
    <>
      {parts.map((part) =>
        typeof part === 'string' ? <VisibleText text={part} level={level} /> : <FoldMark fold={part.fold} />,
      )}
    </>
  );
}

export function FoldMark({ fold }: Fold) {
  return <span class="fold">{fold}</span>;
}
