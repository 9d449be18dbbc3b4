/**
 * Stores a screenshot with 256 colours, which are enough for a page of text. The file has a third
 * of its usual size.
 */
import { crc32, deflateSync } from 'node:zlib'
import gifenc from 'gifenc'

const { quantize } = gifenc
const COLOURS = 256
const EXACT = 128
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** `table`: a page whose canvas decodes the picture. */
export async function smallPng(table, png) {
  const { width, height, pixels } = await table.evaluate(pixelsOf, png.toString('base64'))
  const rgba = new Uint8ClampedArray(Buffer.from(pixels, 'base64'))
  return encode(width, height, ...indexed(rgba))
}

/**
 * The most frequent colours (background and text) stay exact. The others, mostly edges of letters,
 * are approximated.
 */
function indexed(rgba) {
  const pixels = new Uint32Array(rgba.buffer)
  const counts = new Map()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const seen = [...counts].sort(([, one], [, other]) => other - one).map(([pixel]) => pixel)
  const exact = seen.slice(0, EXACT).map(partsOf)
  const others = new Uint8ClampedArray(Uint32Array.from(seen.slice(EXACT)).buffer)
  const rest = others.length === 0 ? [] : quantize(others, COLOURS - EXACT, { format: 'rgb565' })
  const palette = [...exact, ...rest]
  const places = new Map(seen.map((pixel, i) => [pixel, i < EXACT ? i : nearest(palette, partsOf(pixel))]))
  return [palette, Uint8Array.from(pixels, (pixel) => places.get(pixel))]
}

/** Little-endian: red is the first byte in memory. */
const partsOf = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]

function nearest(palette, [red, green, blue]) {
  const distance = ([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
  return palette.reduce((best, one, i) => (distance(one) < distance(palette[best]) ? i : best), 0)
}

/** Runs in the browser. */
async function pixelsOf(png) {
  const image = new Image()
  image.src = `data:image/png;base64,${png}`
  await image.decode()
  const { naturalWidth: width, naturalHeight: height } = image
  const brush = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
  brush.drawImage(image, 0, 0)
  const { data } = brush.getImageData(0, 0, width, height)
  let text = ''
  for (let i = 0; i < data.length; i += 32_768) text += String.fromCharCode(...data.subarray(i, i + 32_768))
  return { width, height, pixels: btoa(text) }
}

function encode(width, height, palette, index) {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8) // 8 bits per pixel, with a palette
  const rows = Buffer.alloc((width + 1) * height) // each row begins with its filter type, 0 for none
  for (let y = 0; y < height; y++) rows.set(index.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const colours = Buffer.from(palette.flat())
  const data = deflateSync(rows, { level: 9 })
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}
