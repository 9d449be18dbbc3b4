/**
 * Shrinks an input with a finding. Pieces of each part are removed as long as the complaint stays
 * of the same kind.
 */
import type { Parts } from './corpus.ts'

/** These tries do not make an input of 200 KiB small, but small enough for a file. */
export const SHRINK_TRIES = 3_000

type Complain = (parts: Parts) => Promise<string | undefined>

export async function shrink(parts: Parts, complaint: string, complain: Complain, tries: number): Promise<Parts> {
  const kind = kindOf(complaint)
  let [best, left] = [parts, tries]
  const isSame = async (tried: Parts) => left-- > 0 && kindOf((await complain(tried)) ?? '') === kind
  for (const name of Object.keys(parts)) {
    for (let size = lengthOf(best, name); size >= 1 && left > 0; size = Math.trunc(size / 2)) {
      for (let at = 0; at < lengthOf(best, name) && left > 0; ) {
        const bytes = best[name] ?? Buffer.alloc(0)
        const tried = { ...best, [name]: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]) }
        if (await isSame(tried)) best = tried
        else at += size
      }
    }
  }
  return best
}

const lengthOf = (parts: Parts, name: string) => parts[name]?.length ?? 0

/** The text up to the first colon, without the values. */
export function kindOf(complaint: string): string {
  return complaint.split(':')[0] ?? ''
}
