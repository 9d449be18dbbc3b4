/** Draws the recorded history of a real bet for the docs, with the console's own code. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const read = (path) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')

export async function makeTimelinePicture(name, label) {
  const { buildBetHistory } = await import('../dist/timeline/bet-history.js')
  const { renderPictureFile } = await import('../dist/timeline/bet-export.js')
  const sources = JSON.parse(read(`test/console/histories/${name}.json`))
  return renderPictureFile(buildBetHistory(sources), read('src/timeline/drawing/timeline.css'), label)
}
