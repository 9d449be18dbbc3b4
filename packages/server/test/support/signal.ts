/** Makes a signal that occurs once: one part of a test waits until another part gives it. */

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
