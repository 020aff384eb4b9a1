/** What the gateway or a CLI says: plain text, but for `code`. */
export function Notice({ text, class: name }: { readonly text: string; readonly class?: string }) {
  return (
    <p class={name}>
      <WithCode text={text} />
    </p>
  );
}

export function WithCode({ text }: { readonly text: string }) {
  return <>{splitCode(text).map((part, nth) => (nth % 2 === 0 ? part : <code key={nth}>{part}</code>))}</>;
}

/** Texts and pieces of code by turns, beginning with a text. A sign without its partner is a sign. */
export function splitCode(text: string): readonly string[] {
  return text.split(/`([^`\n]+)`/);
}
