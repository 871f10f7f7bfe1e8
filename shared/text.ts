/** Whether Postgres and JSON can store the text: no U+0000, no lone surrogates. Line breaks are allowed. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

/** For a terminal: characters that move its cursor, hide or turn text become `\x1b` or `\u202e`. One line stays one line. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (mark) => {
    const code = mark.charCodeAt(0).toString(16);
    return mark < ' ' ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });

/** As `visible`, for several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
