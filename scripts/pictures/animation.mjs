/**
 * Records the demo of a real sandbox, frame by frame, as a GIF for the README. The GIF shows a bet,
 * its calls and the accounts that it changes, then a repeated call.
 */
import { writeFileSync } from 'node:fs'
import gifenc from 'gifenc'

const { applyPalette, GIFEncoder, quantize } = gifenc

/**
 * The visible part of the page, without rail and top bar. It is scaled down, with a caption below.
 */
const VIEW = { x: 196, y: 66, width: 1084, height: 834 }
const SCALE = 0.78
const WORDS_PX = 38
const WIDTH = Math.round(VIEW.width * SCALE)
const HEIGHT = Math.round(VIEW.height * SCALE) + WORDS_PX
/** Milliseconds per frame, and for a frame with text to read. */
const FRAME_MS = 250
const READ_MS = 2_200
/** One more palette entry means "unchanged". */
const COLOURS = 127
const UNCHANGED = 127
/** Number of pixels from which the palette is computed. */
const SAMPLED = 3_000_000
/** Milliseconds that a busy machine may take for a step. */
const WAIT_TIMEOUT_MS = 180_000

export async function animate(browser, url, path) {
  const context = await browser.newContext({ viewport: { width: VIEW.x + VIEW.width, height: VIEW.y + VIEW.height } })
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_TIMEOUT_MS)
  const film = await newFilm(browser, page)
  await page.goto(`${url}/console/`)
  await page.getByRole('button', { name: 'Open the sandbox' }).click()
  await page.locator('.odds').first().waitFor()
  await page.locator('.t').first().waitFor()

  film.say('A betting frame on the left. Right: the same seconds on the wire and in the ledger.')
  await film.show(READ_MS)
  await film.click(page.locator('.odds').nth(3))
  film.say('A bet of 10.00 …')
  await film.click(page.getByRole('button', { name: 'Place bet' }))
  await page.locator('.demo-bets li').first().getByText('Open', { exact: true }).waitFor()
  film.say('A bet of 10.00: one call to the wallet, and the stake moves from the player to the open stakes.')
  await film.roll(3)
  await film.show(READ_MS)
  await film.click(page.locator('.demo-bets li').first().getByRole('button', { name: 'Settle: won' }))
  await page.locator('.demo-bets li').first().getByText('Won', { exact: true }).waitFor()
  film.say('The bet wins: a Settle, the stake goes to the house, the payout to the player. The sum is 0.00, always.')
  await film.roll(3)
  await film.show(READ_MS)
  await film.scroll(page.locator('.caption, .demo-troubles').last())
  film.say('Now trouble, for real: the platform sends the same call twice.')
  await film.show(READ_MS / 2)
  await film.click(page.locator('.trouble', { hasText: 'Send it twice' }))
  await film.roll(3)
  await page.locator('.caption').first().waitFor()
  await film.scroll(page.locator('.caption').first())
  film.say('What the rules demanded, and where the money is now.')
  await film.show(READ_MS * 1.6)
  await film.scroll(page.locator('.demo .head').first())
  film.say('On the wire: the second one was answered the same, and moved nothing.')
  await film.roll(2)
  await film.show(READ_MS)

  writeFileSync(path, film.end())
  await context.close()
  await film.close()
}

/** A canvas in a page of its own scales the frames and draws pointer and caption. */
async function newFilm(browser, page) {
  const table = await browser.newPage()
  const frames = []
  let words = ''
  let pointer = { x: VIEW.width / 2, y: VIEW.height / 2, isDown: false }
  const take = async (ms) => {
    const shot = await page.screenshot({ clip: VIEW })
    const drawn = await table.evaluate(draw, {
      ...{ png: shot.toString('base64'), words, pointer },
      ...{ width: WIDTH, height: HEIGHT, scale: SCALE, wordsPx: WORDS_PX },
    })
    const rgba = Buffer.from(drawn, 'base64')
    const last = frames.at(-1)
    if (last?.rgba.equals(rgba)) last.ms += ms
    else frames.push({ rgba, ms })
  }
  const roll = async (count) => {
    for (let i = 0; i < count; i++) {
      await page.waitForTimeout(FRAME_MS)
      await take(FRAME_MS)
    }
  }
  return {
    say: (text) => {
      words = text
    },
    show: take,
    roll,
    async click(what) {
      const box = await what.boundingBox()
      pointer = { x: box.x + box.width / 2 - VIEW.x, y: box.y + box.height / 2 - VIEW.y, isDown: false }
      await take(FRAME_MS * 2)
      pointer = { ...pointer, isDown: true }
      await take(FRAME_MS)
      pointer = { ...pointer, isDown: false }
      await what.click()
      await take(FRAME_MS)
    },
    async scroll(what) {
      await what.evaluate((one) => one.scrollIntoView({ block: 'center' }))
      await page.mouse.move(0, 0)
    },
    end: () => encode(frames),
    close: () => table.close(),
  }
}

/** Runs in the browser. */
async function draw({ png, words, pointer, width, height, scale, wordsPx }) {
  const image = new Image()
  image.src = `data:image/png;base64,${png}`
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const brush = canvas.getContext('2d')
  brush.imageSmoothingQuality = 'high'
  brush.drawImage(image, 0, 0, width, height - wordsPx)
  brush.save()
  brush.translate(pointer.x * scale, pointer.y * scale)
  if (pointer.isDown) {
    brush.fillStyle = 'rgb(11 107 102 / 30%)'
    brush.beginPath()
    brush.arc(0, 0, 16, 0, 7)
    brush.fill()
  }
  brush.beginPath()
  for (const [x, y] of [
    [0, 0],
    [0, 17],
    [4.5, 13],
    [7.5, 19],
    [10, 18],
    [7, 12],
    [12, 12],
  ])
    brush.lineTo(x, y)
  brush.closePath()
  brush.fillStyle = '#18212b'
  brush.strokeStyle = '#ffffff'
  brush.lineWidth = 1.5
  brush.fill()
  brush.stroke()
  brush.restore()
  brush.fillStyle = '#18212b'
  brush.fillRect(0, height - wordsPx, width, wordsPx)
  brush.fillStyle = '#ffffff'
  brush.font = '600 15px system-ui, "DejaVu Sans", sans-serif'
  brush.textBaseline = 'middle'
  brush.fillText(words, 14, height - wordsPx / 2)
  const { data } = brush.getImageData(0, 0, width, height)
  let text = ''
  for (let i = 0; i < data.length; i += 32_768) text += String.fromCharCode(...data.subarray(i, i + 32_768))
  return btoa(text)
}

/** One palette for all frames; each frame stores only the pixels that changed. */
function encode(frames) {
  const palette = quantize(sampleOf(frames), COLOURS, { format: 'rgb565' })
  while (palette.length <= UNCHANGED) palette.push([255, 0, 255])
  const colours = palette.slice(0, UNCHANGED)
  const gif = GIFEncoder()
  let before
  for (const { rgba, ms } of frames) {
    const index = applyPalette(new Uint8ClampedArray(rgba), colours, 'rgb565')
    const changed = before === undefined ? index : index.map((one, i) => (one === before[i] ? UNCHANGED : one))
    const how = before === undefined ? { palette, repeat: 0 } : { transparent: true, transparentIndex: UNCHANGED }
    gif.writeFrame(changed, WIDTH, HEIGHT, { ...how, delay: ms, dispose: 1 })
    before = index
  }
  gif.finish()
  return gif.bytes()
}

function sampleOf(frames) {
  const some = frames.filter((_, i) => i % Math.ceil((frames.length * WIDTH * HEIGHT) / SAMPLED) === 0)
  const all = new Uint8ClampedArray(some.length * WIDTH * HEIGHT * 4)
  for (const [i, { rgba }] of some.entries()) all.set(rgba, i * WIDTH * HEIGHT * 4)
  return all
}
