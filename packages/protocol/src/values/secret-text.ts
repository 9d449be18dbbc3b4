/**
 * Secrets and keys as users enter them, in a setting, a file or an option.
 *
 * With a secret that a tool has changed, each call fails with code 1, and neither side sees the
 * cause. So typical changes are detected when the secret is read.
 */

/** Commas separate several secrets during a rotation. */
export function splitSecrets(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** UTF-16 that is read as UTF-8 contains NUL or invalid bytes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FOREIGN = /[\u0000\ufffd\ufeff]/
const QUOTED = /^(?:".*"|'.*'|“.*”)$/s

/** Returns the rest of a sentence that begins with the setting's name, without the secret. */
export function findSecretFault(text: string): string | undefined {
  if (FOREIGN.test(text)) return 'is not in UTF-8, perhaps in UTF-16 as a Windows shell writes it: save it as UTF-8'
  if ([text, ...splitSecrets(text)].some((secret) => QUOTED.test(secret)))
    return 'stands within quotation marks, which would be a part of it: leave them out'
  return undefined
}
