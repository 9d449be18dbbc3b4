/** Answers to requests that were sent before the main script was loaded (prefetch-entry.ts). */
import { requestHeaders } from './request-headers.ts'

const prefetched = new Map<string, Promise<Response | undefined>>()

/** Each answer is used once. Undefined if it was not prefetched, or was an error. */
export async function takePrefetched(path: string): Promise<Response | undefined> {
  const answer = prefetched.get(path)
  prefetched.delete(path)
  return answer
}

/** Deletes the answers, because another user may sign in. */
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

/** The address of the page of `purser dev`, which has no session and no data of a wallet. */
export const isDevPath = (path: string): boolean => /^\/console\/dev\/?$/.test(path)
