/**
 * A snapshot of an embedded database: its memory and its in-memory files.
 *
 * Each run starts from the snapshot, with the same caches, plans and counters.
 */
import type { PGlite } from '@electric-sql/pglite'

/** A file or a folder in the memory of Emscripten. */
interface Node {
  readonly mount: { readonly type: unknown }
  readonly mode: number
  contents: Uint8Array | Record<string, Node>
  usedBytes: number
  name: string
  parent: Node
  name_next: Node | undefined
}

/** An open file; `fd` is null after it was closed. */
interface Stream {
  fd: number | null
  readonly shared: { position: number; flags: number }
}

interface Files {
  readonly root: Node
  readonly streams: (Stream | undefined)[]
  /** Indexed by a hash of folder and name. */
  nameTable: (Node | undefined)[]
  isDir(mode: number): boolean
  isFile(mode: number): boolean
}

interface Module {
  readonly HEAPU8: Uint8Array
  readonly FS: Files
  readonly MEMFS: unknown
}

/** Bytes that are compared, and restored, together. */
const PIECE = 2 ** 16

/** Returns a function that restores the present state. No operation may be in progress. */
export function snapshotMemory(pglite: PGlite): () => void {
  // The array is looked up for each restore, because a grown memory is another array.
  const module = pglite.Module as unknown as Module
  const pieces = toPieces(module.HEAPU8)
  const putFilesBack = snapshotFiles(module)
  return () => {
    restorePieces(module.HEAPU8, pieces)
    putFilesBack()
  }
}

/** Undefined: only zeros. */
type Pieces = readonly (Uint8Array | undefined)[]

const ZEROS = new Uint8Array(PIECE)

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE)
}

function toPieces(bytes: Uint8Array): Pieces {
  return Array.from(inPieces(bytes), (piece) =>
    Buffer.compare(piece, ZEROS.subarray(0, piece.length)) === 0 ? undefined : piece.slice(),
  )
}

function restorePieces(bytes: Uint8Array, pieces: Pieces): void {
  let i = 0
  for (const piece of inPieces(bytes)) {
    const was = pieces[i++] ?? ZEROS.subarray(0, piece.length)
    if (Buffer.compare(piece, was) !== 0) piece.set(was)
  }
}

function snapshotFiles({ FS: files, MEMFS }: Module): () => void {
  const restores: (() => void)[] = []
  const keep = (node: Node) => {
    const { name, parent, name_next, contents } = node
    if (node.mount.type !== MEMFS) return
    restores.push(() => void Object.assign(node, { name, parent, name_next }))
    if (files.isDir(node.mode)) {
      const inside = { ...(contents as Record<string, Node>) }
      restores.push(() => {
        node.contents = { ...inside }
      })
      for (const one of Object.values(inside)) keep(one)
    } else if (files.isFile(node.mode)) {
      const [size, pieces] = [node.usedBytes, toPieces(bytesOf(node))]
      restores.push(() => restoreFile(node, size, pieces))
    }
  }
  keep(files.root)
  const [names, streams] = [[...files.nameTable], [...files.streams]]
  const shared = streams.map((stream) => stream && { ...stream.shared })
  return () => {
    for (const one of restores) one()
    files.nameTable = [...names]
    files.streams.splice(0, files.streams.length, ...streams)
    streams.forEach((stream, fd) => {
      if (stream) Object.assign(stream, { fd, shared: Object.assign(stream.shared, shared[fd]) })
    })
  }
}

/** The file keeps its memory: a new array for each run would make V8 collect the whole heap. */
function restoreFile(node: Node, size: number, pieces: Pieces): void {
  // A file that grows again must read zeros here.
  if (node.usedBytes > size) bytesOf(node).fill(0, size)
  if (capacityOf(node) < size) node.contents = new Uint8Array(size)
  node.usedBytes = size
  restorePieces(bytesOf(node), pieces)
}

/** Bytes that the file can hold without a new array. */
function capacityOf({ contents }: Node): number {
  return (contents as Uint8Array | undefined)?.length ?? 0
}

/** The source array may have signed bytes, or be absent. */
function bytesOf({ contents, usedBytes }: Node): Uint8Array {
  const { buffer, byteOffset } = (contents ?? ZEROS) as Uint8Array
  return new Uint8Array(buffer, byteOffset, usedBytes)
}
