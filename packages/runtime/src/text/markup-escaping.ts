/** Escapes text for HTML and XML, because answers of a tested wallet are untrusted. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Also replaces control characters that XML forbids, and lone surrogates. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROL_CHARACTERS, '\ufffd')
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that are meant
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
