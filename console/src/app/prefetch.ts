/**
 * Questions that were asked before the script that needs their answers was read
 * (prefetch-entry.ts).
 */
import { requestHeaders } from './request-headers.ts'

const prefetched = new Map<string, Promise<Response | undefined>>()

/** The answer to a question that was asked early, for the first who asks for it. Undefined: nobody has, or it was no good. */
export async function takePrefetched(path: string): Promise<Response | undefined> {
  const answer = prefetched.get(path)
  prefetched.delete(path)
  return answer
}

/** Whoever is signed in may be another one from here on. */
export function dropPrefetched(): void {
  prefetched.clear()
}

export function prefetch(path: string): void {
  const request = fetch(path, { headers: requestHeaders(), credentials: 'same-origin' })
  prefetched.set(
    path,
    request.then(
      (answer) => (answer.ok ? answer : undefined),
      () => undefined,
    ),
  )
}
