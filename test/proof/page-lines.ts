/** No line of the page is longer, so that a change of it can be read. */
const WIDTH = 120;

/** As lines of at most `WIDTH`, broken at spaces. */
export const lengthy = (text: string, indent = ''): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter(Boolean)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
};

/** A point of a list. */
export const listed = (text: string, indent = ''): string[] =>
  lengthy(text, `${indent}  `).map((line, at) => (at === 0 ? `${indent}- ${line.trimStart()}` : line));
