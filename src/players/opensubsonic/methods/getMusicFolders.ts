import { method, noInput } from '../method.ts'

export const getMusicFolders = method({
  summary: 'One folder: the library.',
  input: noInput,
  run: () => ({ musicFolders: { musicFolder: [{ id: 1, name: 'Library' }] } })
})
