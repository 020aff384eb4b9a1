const beginning = 'Nobody answered the permission request for ';

/** Why a permission is denied that nobody has decided about in time. */
export function timeoutMessage(tool: string, time: string): string {
  return `${beginning}${tool} within ${time}`;
}

export function isTimeout(message: string): boolean {
  return message.startsWith(beginning);
}
