import type { Token } from 'marked';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { prose } from '../../src/core/text.js';
import { LongText } from '../long-text.js';
import { memo } from '../memo.js';
import { type Lexed, lex, nothingLexed } from './lex.js';
import { renderBlock } from './render.js';
import './markdown.css';

/** A longer text is shown as plain text, piece by piece: to lay it out would hold up the page. */
const maxLength = 200_000;
const maxLines = 6_000;

export interface MarkdownProps {
  readonly text: string;
  /** True while more text comes. */
  readonly growing?: boolean;
}

/** A model's text. It can't run anything, load anything, or link to anything but the web and mail. */
export const Markdown = memo(function Markdown({ text, growing = false }: MarkdownProps) {
  const lexed = useRef<Lexed>(nothingLexed);
  const shown = prose(usePace(text, growing));
  if (isLong(shown)) return <LongText text={shown} />;
  lexed.current = lex(shown, growing ? lexed.current : nothingLexed);
  return (
    <div class="markdown">
      {lexed.current.blocks.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ token }: { readonly token: Token }) {
  return <>{renderBlock(token)}</>;
});

function isLong(text: string): boolean {
  if (text.length > maxLength) return true;
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > maxLines;
}

const quickMs = 8;

/** The text as it is to be drawn now: if to draw it takes long, it grows in larger steps. */
function usePace(text: string, growing: boolean): string {
  const [shown, setShown] = useState(text);
  const latest = useRef(text);
  latest.current = text;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const cost = useRef(0);
  const current = growing ? shown : text;
  const began = performance.now();
  // Runs as soon as the elements are there, not when they were painted.
  useLayoutEffect(() => {
    cost.current = performance.now() - began;
  }, [current]);
  useLayoutEffect(() => {
    if (!growing || text === shown || timer.current !== undefined) return;
    if (cost.current < quickMs) return setShown(text);
    // Text that comes meanwhile does not put it off.
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        setShown(latest.current);
      },
      Math.min(1000, cost.current * 5),
    );
  }, [text, growing, shown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return current;
}
