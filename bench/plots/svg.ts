import { parseHTML } from 'linkedom';

/** A document for drawing without a browser. */
export const { document } = parseHTML('<!doctype html><html><body></body></html>');

/** Readable on any background: it has its own, and follows the reader's theme if possible. */
const style = `
svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d9dfe5; --ours: #0a7d4b; --theirs: #4a5a6a;
  --light: #9fc5e8; --middle: #4a90c8; --dark: #1f5f99; --darkest: #0b2f55; }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9aa5b1; --line: #2b323b;
  --ours: #4cc38a; --theirs: #a9b6c4; --light: #2c5f8f; --middle: #4a90c8; --dark: #8cc0ec; --darkest: #e2f1ff; } }
text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; }`;

export interface Part {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** Drawn parts beside each other, with a title, a legend and a note, as one file. */
export const svgFile = (parts: {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly digest: string;
  readonly inner: string;
}): string => {
  const { width, height, title, digest, inner } = parts;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" data-figures="${digest}">
<title>${escaped(title)}</title>
<style>${style}
</style>
<rect width="${width}" height="${height}" rx="6" style="fill:var(--paper)"/>
${inner}
</svg>
`;
};

export const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

interface Words {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly color: string;
  readonly weight?: number;
  readonly anchor?: 'start' | 'end';
}

export const words = (text: string, { x, y, size, color, weight = 400, anchor = 'start' }: Words): string =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" style="fill:var(--${color})">${escaped(text)}</text>`;
