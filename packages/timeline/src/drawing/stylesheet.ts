/** The style sheet of the timeline pictures as text, for reports that must be self-contained. */
import { readFileSync } from 'node:fs'

export function readTimelineStylesheet(): string {
  return readFileSync(new URL('timeline.css', import.meta.url), 'utf8')
}
