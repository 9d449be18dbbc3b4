/** Questions that were asked before the script that needs their answers was read (begin.ts). */
import { ours } from './ours.ts'

const begun = new Map<string, Promise<Response | undefined>>()

/** The answer to a question that was asked early, for the first who asks for it. Undefined: nobody has, or it was no good. */
export async function early(path: string): Promise<Response | undefined> {
  const answer = begun.get(path)
  begun.delete(path)
  return answer
}

/** Whoever is signed in may be another one from here on. */
export function forgetEarly(): void {
  begun.clear()
}

export function begin(path: string): void {
  const asked = fetch(path, { headers: ours(), credentials: 'same-origin' })
  begun.set(
    path,
    asked.then(
      (answer) => (answer.ok ? answer : undefined),
      () => undefined,
    ),
  )
}
