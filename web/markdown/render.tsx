import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { isLargeTable } from './bounded-tables.js';
import { CodeBlock } from './code-block.js';
import { decodeEntities } from './entities.js';
import { safeAddress } from './safe-address.js';

/*
 * Blocks as elements, made one by one from what the lexer found: nothing that a model writes is ever read as HTML. HTML in the
 * text is shown as the text that it is.
 */

export function renderBlock(token: Token): ComponentChildren {
  if (isLargeTable(token)) {
    const title = `A table of ${token.cells} cells, as it was written`;
    return <CodeBlock text={token.raw.trimEnd()} language="" title={title} />;
  }
  const block = token as MarkedToken;
  switch (block.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return heading(block);
    case 'paragraph':
      return <p>{renderInline(block.tokens)}</p>;
    case 'text':
      return <p class="as-is">{inlineOf(block)}</p>;
    case 'html':
      return <p class="as-is">{block.raw.trimEnd()}</p>;
    case 'code':
      return <CodeBlock text={block.text} language={block.lang ?? ''} />;
    case 'blockquote':
      return <blockquote>{block.tokens.map(renderBlock)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return list(block);
    case 'table':
      return table(block);
    default:
      return <p class="as-is">{token.raw}</p>;
  }
}

function renderInline(tokens: readonly Token[] | undefined): ComponentChildren {
  return tokens?.map(inline);
}

function inline(token: Token): ComponentChildren {
  const part = token as MarkedToken;
  switch (part.type) {
    case 'text':
      return inlineOf(part);
    case 'escape':
      return part.text;
    case 'strong':
      return <strong>{renderInline(part.tokens)}</strong>;
    case 'em':
      return <em>{renderInline(part.tokens)}</em>;
    case 'del':
      return <del>{renderInline(part.tokens)}</del>;
    case 'codespan':
      return <code>{part.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={part.href}>{renderInline(part.tokens)}</Link>;
    case 'image':
      return <ImageLink href={part.href} text={part.text} />;
    case 'checkbox':
      return <Tick checked={part.checked} />;
    case 'html':
      return /^<br\s*\/?>$/i.test(part.raw) ? <br /> : part.raw;
    default:
      return token.raw;
  }
}

function inlineOf(text: Tokens.Text | Tokens.Tag): ComponentChildren {
  return 'tokens' in text && text.tokens !== undefined
    ? renderInline(text.tokens)
    : decodeEntities(text.text);
}

function Link({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  const address = safeAddress(href);
  if (address === undefined) return <span title={href.slice(0, 500)}>{children}</span>;
  return (
    <a href={address} title={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** An image would be loaded from where the model wants, and tell that place who looks: a link stands for it. */
function ImageLink({ href, text }: { readonly href: string; readonly text: string }) {
  const name = decodeEntities(text);
  if (safeAddress(href) === undefined)
    return <span class="image-link">Image: {name || 'without a name'}</span>;
  return (
    <span class="image-link">
      Image: {name} <Link href={href}>{href.length > 120 ? `${href.slice(0, 119)}…` : href}</Link>
    </span>
  );
}

function heading({ depth, tokens }: Tokens.Heading): ComponentChildren {
  // The page's own headings are above those of an answer.
  const Level = (['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const)[depth - 1] ?? 'h6';
  return <Level class={`depth-${depth}`}>{renderInline(tokens)}</Level>;
}

function list({ ordered, start, items }: Tokens.List): ComponentChildren {
  const children = items.map((item) => (
    <li class={item.task ? 'task' : undefined}>
      {item.tokens.map((token) => {
        if (token.type === 'text') return inlineOf(token as Tokens.Text);
        if (token.type === 'checkbox') return <Tick checked={(token as Tokens.Checkbox).checked} />;
        // The lines of a tight list's items are no paragraphs of their own.
        return !item.loose && token.type === 'paragraph' ? renderInline(token.tokens) : renderBlock(token);
      })}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>;
}

function Tick({ checked }: { readonly checked: boolean }) {
  return (
    <span role="img" aria-label={checked ? 'done' : 'to do'} class="tick">
      {checked ? '☑' : '☐'}{' '}
    </span>
  );
}

function table({ header, rows }: Tokens.Table): ComponentChildren {
  const cell = (Cell: 'th' | 'td') => (one: Tokens.TableCell) => (
    <Cell class={one.align === null ? undefined : `align-${one.align}`}>{renderInline(one.tokens)}</Cell>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <section class="table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>{header.map(cell('th'))}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>{row.map(cell('td'))}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
