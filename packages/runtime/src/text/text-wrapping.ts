/** Wraps text at 80 columns, for a terminal whose width is unknown. */
export const TERMINAL_WIDTH = 80

/** Takes one argument, because `flatMap` passes three. */
export const wrapForTerminal = (text: string) => wrapText(TERMINAL_WIDTH, text)

/** Breaks between words into lines of at most `width` characters. */
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
