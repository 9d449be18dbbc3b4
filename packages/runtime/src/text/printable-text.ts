/**
 * Makes untrusted text safe to print.
 *
 * Names, answers and messages come from other programs and from people. A terminal executes escape
 * sequences, a CI server executes lines such as `::error::`, and direction marks reorder a line.
 *
 * Invariant: a result of `printableLine` has no control character, line break, direction mark or CI
 * command. A replaced character is written as `\u001b`, which JSON reads as the same character.
 */

/** C0, DEL, C1, line separators, direction marks, the byte order mark, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/**
 * GitHub executes `::name` at the start of a line and `##[name` anywhere. Azure and TeamCity
 * execute the others.
 */
const COMMAND_AT_START = /^(\s*):(?=:)/
const COMMAND_ANYWHERE = /#(?=#(\[|vso\[|teamcity\[))/g

/**
 * For a part of a line, such as a name. CI commands stay, because they have no effect inside a
 * line.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, escapeCharacter)
}

export function printableLine(text: string): string {
  return printable(text)
    .replace(COMMAND_AT_START, (_found, blanks: string) => `${blanks}${escapeCharacter(':')}`)
    .replace(COMMAND_ANYWHERE, escapeCharacter)
}

/** Line feeds stay. JSON stays the same JSON. */
export function printableLines(text: string): string {
  return text.split('\n').map(printableLine).join('\n')
}

const HEX = 16
const HEX_DIGITS = 4

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(HEX).padStart(HEX_DIGITS, '0')}`
}
