import type { Json } from '../state/world.js';

/** An answer of Discord's API that says no. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors?: Json,
  ) {
    super(message);
  }

  get body(): Json {
    return { message: this.message, code: this.code, ...(this.errors && { errors: this.errors }) };
  }
}

/** A field of the body is not as it should be. `path` is like `components.0.label`. */
export function invalidForm(path: string, code: string, message: string): ApiError {
  let errors: Json = { _errors: [{ code, message }] };
  for (const key of path.split('.').reverse()) errors = { [key]: errors };
  return new ApiError(400, 50035, 'Invalid Form Body', errors);
}

export const unknownChannel = () => new ApiError(404, 10003, 'Unknown Channel');
export const unknownMessage = () => new ApiError(404, 10008, 'Unknown Message');
export const missingAccess = () => new ApiError(403, 50001, 'Missing Access');
export const missingPermissions = () => new ApiError(403, 50013, 'Missing Permissions');
