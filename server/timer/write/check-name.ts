const LONGEST_NAME = 512;

/** Throws `RangeError`. */
export const checkName = (name: string): void => {
  if (name.length > 0 && name.length <= LONGEST_NAME && !name.includes('\0')) return;
  throw new RangeError(`a kind, subject, owner or idempotency key has 1 to ${LONGEST_NAME} characters and no NUL`);
};
