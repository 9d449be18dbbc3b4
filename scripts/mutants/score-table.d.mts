export interface Result {
  readonly fault: { readonly path: string }
  readonly verdict: 'seen' | 'survived' | 'no test'
}

export function withScores(
  text: string,
  results: readonly Result[],
  of: { commit: string; seed: number; near: number; date?: string },
): string
