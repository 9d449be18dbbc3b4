/** Formats seconds with three decimals: '1.250'. */
export function formatSeconds(ms: number): string {
  const whole = Math.trunc(ms)
  return `${Math.trunc(whole / 1000)}.${String(whole % 1000).padStart(3, '0')}`
}
