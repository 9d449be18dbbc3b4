/** Columns of a terminal, where they are not known. */
export const TERMINAL_WIDTH = 80

/** Broken between words into lines that a terminal has room for. One argument: it is given to `flatMap`, which has three. */
export const wrapForTerminal = (text: string) => wrapText(TERMINAL_WIDTH, text)

/** Broken between words into lines of at most so many characters. */
export function wrapText(width: number, text: string): string[] {
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
