import type { Terminal } from '../output/terminal.js';
import type { ConnectionNews } from './follow-channel.js';

export function tellConnection(news: ConnectionNews, terminal: Pick<Terminal, 'say'>): void {
  if (news.type === 'lost')
    terminal.say('the connection to the gateway is lost: waiting for it to come back …');
  else if (news.again) terminal.say('the gateway is back.');
}
