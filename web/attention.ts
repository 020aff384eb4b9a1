import { Cell } from './cell.js';
import plainIcon from './icons/favicon.svg?url';
import waitingIcon from './icons/favicon-waiting.svg?url';

/** What a screen reader is told next. */
export const announcement = new Cell('');

/** The number of questions in the conversation that is shown: the list of all comes a little later. */
export const questionsHere = new Cell(0);

/** Whether the browser lets the page notify: `ask` if nobody has decided yet. */
export const notifications = new Cell<'ask' | 'on' | 'off'>(permissionNow());

export async function askForNotifications(): Promise<void> {
  await Notification.requestPermission();
  notifications.set(permissionNow());
}

/** The number in front of the title, and the icon, tell from another tab that somebody is waited for. */
export function showBadge(count: number, title: string): void {
  document.title = `${count > 0 ? `(${count}) ` : ''}${title === '' ? 'Turnout' : `${title} · Turnout`}`;
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const icon = count > 0 ? waitingIcon : plainIcon;
  if (link !== null && !link.href.endsWith(icon)) link.href = icon;
}

/** Tells somebody who looks at another window. `tag`: a later one of the same tag takes its place. */
export function notify(title: string, body: string, tag: string): void {
  if (!document.hidden || notifications.value !== 'on') return;
  try {
    const notification = new Notification(title, { body, tag, icon: plainIcon });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Some phones allow them only to service workers.
  }
}

function permissionNow(): 'ask' | 'on' | 'off' {
  if (!('Notification' in globalThis) || !isSecureContext) return 'off';
  return { granted: 'on', denied: 'off', default: 'ask' }[Notification.permission] as 'ask' | 'on' | 'off';
}
