/** Columns of a terminal, where they are not known. */
export const WIDTH = 80

/** Broken between words into lines of at most so many characters. */
export function wrapped(text: string, width = WIDTH): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
