/** An event that happens once: one part of a test waits for it, and another part sends it. */

export interface Signal {
  give(): void
  readonly given: Promise<void>
}

export function signal(): Signal {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { give, given }
}
