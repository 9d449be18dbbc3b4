/** Something that one part of a test waits for and another one gives, once. */

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
