import { CopyButton } from '../copy-button.js';
import { LongText } from '../long-text.js';

/** More is shown piece by piece. */
const maxLength = 50_000;

export interface CodeBlockProps {
  readonly text: string;
  readonly language: string;
  /** Stands in place of the language. */
  readonly title?: string;
}

export function CodeBlock({ text, language, title }: CodeBlockProps) {
  const name = title ?? /^[\w+#.-]{1,30}/.exec(language)?.[0] ?? '';
  return (
    <div class="code-block">
      <div class="code-block-head">
        <span>{name}</span>
        <CopyButton text={text} label="Copy code" />
      </div>
      {text.length > maxLength ? (
        <LongText class="code-block-text" text={text} atOnce={maxLength} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard
        <pre class="code-block-text" tabIndex={0}>
          <code>{text}</code>
        </pre>
      )}
    </div>
  );
}
