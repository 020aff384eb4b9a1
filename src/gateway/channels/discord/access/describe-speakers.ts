import type { AllowedLists } from './may-speak.js';

/** Who may speak to the bot, for the operator: by the lists of the settings, and by pairing. */
export function describeSpeakers({ users, roles, guilds, channels }: AllowedLists, paired: number): string {
  const people = [
    ...(users.length > 0 ? [counted(users.length, 'person', 'people')] : []),
    ...(roles.length > 0 ? [`whoever has ${counted(roles.length, 'role', 'roles')}`] : []),
  ];
  const places = [
    ...(guilds.length > 0 ? [counted(guilds.length, 'server', 'servers')] : []),
    ...(channels.length > 0 ? [counted(channels.length, 'channel', 'channels')] : []),
  ];
  const pairedPeople = paired > 0 ? [counted(paired, 'paired person', 'paired people')] : [];
  if (people.length + places.length + pairedPeople.length === 0) return 'nobody may speak to it';
  const isOpen = people.length === 0 && places.length > 0;
  const who = [...(isOpen ? ['everybody'] : people), ...(isOpen ? [] : pairedPeople)].join(', ');
  const where = places.length === 0 ? '' : ` in ${places.join(' and ')} of the settings`;
  return `${who} may speak to it${where}`;
}

function counted(count: number, one: string, many: string): string {
  return count === 1 ? `one ${one}` : `${count} ${many}`;
}
