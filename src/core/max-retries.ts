/** R10: so often a turn is tried again after the first attempt. */
export const maxRetries = 3;
