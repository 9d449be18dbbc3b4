/** Times and durations for display. */

export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}

/** One unit is enough: "12 ms", "5.02 s", "3 min", "2 h", "4 d". */
export function formatDuration(ms: number): string {
  if (ms < 1) return ms === 0 ? '0 ms' : '<1 ms'
  if (ms < 1_000) return `${nearest(ms)} ms`
  if (ms < 60_000) return ms < 10_000 ? `${parts(ms / 10, 2)} s` : `${parts(ms / 100, 1)} s`
  if (ms < 3_600_000) return `${nearest(ms / 60_000)} min`
  return ms < 172_800_000 ? `${nearest(ms / 3_600_000)} h` : `${nearest(ms / 86_400_000)} d`
}

function nearest(value: number): number {
  return Math.trunc(value + 0.5)
}

/** 502 with two digits is "5.02". */
function parts(value: number, digits: number): string {
  const text = `${nearest(value)}`.padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
