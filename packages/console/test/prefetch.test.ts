/**
 * The console sends some requests before its main script is loaded, and uses each of their answers
 * once.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callApi } from '../src/app/console-api.ts'
import { prefetch } from '../src/app/prefetch.ts'

/** Answers with the number of requests; `/refused` is rejected. */
const server = createServer((request, response) => {
  asked += 1
  response.writeHead(request.url === '/refused' ? 401 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ asked }))
})
let asked = 0
let url = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const answerTo = async (path: string) => (await callApi<{ asked: number }>('GET', url + path)).asked

test('the prefetched answer is given to the first request, and only once', async () => {
  asked = 0
  prefetch(`${url}/bet`)
  expect(await answerTo('/bet')).toBe(1)
  expect(await answerTo('/bet')).toBe(2)
})

test('a prefetch that was refused is requested again', async () => {
  prefetch(`${url}/refused`)
  await expect(callApi('GET', `${url}/refused`)).rejects.toThrow('401')
})

test('a sign-in or sign-out during a prefetch leaves no answer to the next person', async () => {
  asked = 0
  prefetch(`${url}/bet`)
  await callApi('POST', `${url}/session`, {})
  expect(await answerTo('/bet')).toBe(3)
})
