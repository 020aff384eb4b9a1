import { splitAtOddCharacters } from './odd-characters.js';

/** Text of which nothing can hide: see `splitAtOddCharacters`. */
export function VisibleText({ text }: { readonly text: string }) {
  return (
    <>
      {splitAtOddCharacters(text).map((part) =>
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
