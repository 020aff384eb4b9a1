import { DownloadRefused } from './download.js';

export interface AttachmentLimits {
  /** Of one file. */
  readonly maxBytes: number;
  /** Of all files of a message. */
  readonly maxTotalBytes: number;
  readonly maxCount: number;
  /** `image/*`, `application/pdf` or `.zip`; nothing for all but programs. A type is what the sender says, and no more. */
  readonly types: readonly string[];
  /** For all files of a message. */
  readonly timeoutMs: number;
}

/** The message that a file came with, seen from the one that is taken. */
export type FileOrigin = 'message' | 'answered' | 'forwarded';

export interface SentAttachment {
  readonly origin?: FileOrigin | undefined;
  /** Discord's id. An edit may remove files, and those that stay keep theirs. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly size: number;
  readonly contentType?: string | undefined;
}

/** Throws a DownloadRefused that says which limit a file is over, by what its sender says about it. */
export function checkLimits(
  attachment: SentAttachment,
  limits: AttachmentLimits,
  so: { readonly taken: number; readonly room: number },
): void {
  const { size } = attachment;
  if (so.taken >= limits.maxCount)
    throw new DownloadRefused(`not more than ${limits.maxCount} files of a message are taken`);
  if (!isAllowedType(attachment, limits.types)) throw new DownloadRefused('files of its type are not taken');
  if (size > limits.maxBytes)
    throw new DownloadRefused(`it has ${megabytes(size)}, and ${megabytes(limits.maxBytes)} are allowed`);
  if (size > so.room)
    throw new DownloadRefused(
      `the files of a message may have ${megabytes(limits.maxTotalBytes)} together, and it is over that`,
    );
}

function isAllowedType({ name, contentType }: SentAttachment, types: readonly string[]): boolean {
  if (types.length === 0) return !program.test(name);
  const type = plainType(contentType) ?? 'application/octet-stream';
  const [kind] = type.split('/');
  return types.some((one) => {
    const allowed = one.toLowerCase();
    return allowed.startsWith('.')
      ? name.toLowerCase().endsWith(allowed)
      : allowed === type || allowed === `${kind}/*` || allowed === '*/*';
  });
}

/** Programs of desktops and phones: nothing that an agent could read, and nothing that it should start. */
const program = /\.(?:exe|msi|dll|scr|com|apk|dmg|pkg|appimage)$/i;

/** `text/plain` of `text/plain; charset=utf-8`. Anything else than a type is nothing: it is shown to the agent. */
export function plainType(contentType: string | undefined): string | undefined {
  return /^[\w.+-]{1,60}\/[\w.+-]{1,80}/.exec(contentType?.toLowerCase() ?? '')?.[0];
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
