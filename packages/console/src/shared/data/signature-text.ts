/** The recorded result of a call's signature check, in words. */

const ORDINALS = ['', 'first', 'second', 'third', 'fourth']

/** The number in "verified with secret 1" is the position in the setting (S-3). */
export function describeSignature(signature: string): string {
  const [, number] = /^verified with secret (\d+)$/.exec(signature) ?? []
  if (number === undefined) return signature
  return `valid: signed with the ${ORDINALS[Number(number)] ?? `${number}th`} secret of the platform`
}
