import { isIPv6 } from 'node:net';
import { TurnoutError } from '../../../core/errors.js';

/** The reason why the server can't listen, with the address and a hint. */
export function explainListenFailure(cause: NodeJS.ErrnoException, host: string, port: number): TurnoutError {
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  switch (cause.code) {
    case 'EADDRINUSE':
      return new TurnoutError('bad_request', `The HTTP channel can't listen on ${address}: it is in use.`, {
        hint: 'Stop the program that listens there (perhaps another gateway), or set HTTP_PORT to a free port.',
        cause,
      });
    case 'EACCES':
      return new TurnoutError('bad_request', `The HTTP channel may not listen on ${address}.`, {
        hint: 'Ports below 1024 belong to root: set HTTP_PORT to 1024 or above.',
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new TurnoutError(
        'bad_request',
        `The HTTP channel can't listen on ${address}: this machine has no such address.`,
        {
          hint: 'Set HTTP_HOST to 127.0.0.1, or to an address of this machine.',
          cause,
        },
      );
    default:
      return new TurnoutError(
        'bad_request',
        `The HTTP channel can't listen on ${address}: ${cause.message}`,
        {
          hint: 'Check HTTP_HOST and HTTP_PORT.',
          cause,
        },
      );
  }
}
