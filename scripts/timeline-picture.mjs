/**
 * Draws the recorded history of a real bet for the docs, with the code that the console uses to
 * draw it.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const read = (path) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')

export async function makeTimelinePicture(name, label) {
  const { buildBetHistory } = await import('@purser/timeline/bet-history')
  const { renderPictureFile } = await import('@purser/timeline/bet-export')
  const sources = JSON.parse(read(`packages/console/test/histories/${name}.json`))
  return renderPictureFile(buildBetHistory(sources), read('packages/timeline/src/drawing/timeline.css'), label)
}
