import { Cell } from './cell.js';
import plainIcon from './icons/favicon.svg?url';
import waitingIcon from './icons/favicon-waiting.svg?url';
import { isInSight } from './in-sight.js';
import { printRoute } from './routes.js';

/** What a screen reader is told next. */
export const announcement = new Cell('');

/** The number of questions in the conversation that is shown: the list of all comes a little later. */
export const questionsHere = new Cell(0);

/** The conversation that tells of itself, because its stream is open here. */
export const toldHere = new Cell<string | undefined>(undefined);

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

/**
 * Tells somebody who looks at something else, and leads to the conversation. All tabs tell of all conversations: of the same
 * kind and the same conversation the browser shows one, the latest.
 */
export async function notify(
  kind: 'question' | 'answer',
  channel: string,
  title: string,
  body: string,
): Promise<void> {
  if (notifications.value !== 'on' || (await isInSight())) return;
  try {
    const notification = new Notification(title, { body, tag: `${kind} ${channel}`, icon: plainIcon });
    notification.onclick = () => {
      window.focus();
      location.hash = printRoute({ type: 'conversation', channel });
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
