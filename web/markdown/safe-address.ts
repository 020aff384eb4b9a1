/** A reference repeats its address at each place: a long one, thousands of times, would hold up the page. */
const maxLength = 2_000;

/** The address, if a model's text may link to it: the web and mail, nothing that runs or reads something here. */
export function safeAddress(href: string): string | undefined {
  if (href.length > maxLength) return undefined;
  if (!/^(?:https?:\/\/|mailto:)[^\s\\]/i.test(href)) return undefined;
  return URL.canParse(href) ? href : undefined;
}
