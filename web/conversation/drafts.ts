/** What was typed and not sent, by channel: it survives a look at another conversation, and a reload of the tab. */
export const drafts = {
  read(channel: string): string {
    try {
      return sessionStorage.getItem(name(channel)) ?? memory.get(channel) ?? '';
    } catch {
      return memory.get(channel) ?? '';
    }
  },

  write(channel: string, text: string): void {
    memory.set(channel, text);
    try {
      if (text === '') sessionStorage.removeItem(name(channel));
      else sessionStorage.setItem(name(channel), text);
    } catch {
      // A browser may forbid it, or be full: then the draft is kept as long as the page.
    }
  },
};

const memory = new Map<string, string>();

function name(channel: string): string {
  return `draft ${channel}`;
}
