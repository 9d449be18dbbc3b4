/**
 * Secrets and keys as people give them, in a setting, a file or an option.
 *
 * A secret that was changed on its way fails every call with code 1, and no side can say why. Faults
 * that tools make are found when the secret is read.
 */

/** Several secrets stand between commas while they rotate. */
export function splitSecrets(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Bytes of UTF-16 are NUL or invalid when they are read as UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FOREIGN = /[\u0000\ufffd\ufeff]/
const QUOTED = /^(?:".*"|'.*'|“.*”)$/s

/** Returns the rest of a sentence that begins with the name of the setting, and never shows the secret. */
export function findSecretFault(text: string): string | undefined {
  if (FOREIGN.test(text)) return 'is not in UTF-8, perhaps in UTF-16 as a Windows shell writes it: save it as UTF-8'
  if ([text, ...splitSecrets(text)].some((secret) => QUOTED.test(secret)))
    return 'stands within quotation marks, which would be a part of it: leave them out'
  return undefined
}
