/** Text that goes into HTML and XML: what a judged wallet answers is a stranger's, and must stay text. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Also without the control characters that XML cannot hold, escaped or not, and without halves of surrogate pairs. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROL_CHARACTERS, '\ufffd')
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that are meant
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
