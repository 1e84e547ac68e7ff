import { method, noInput } from '../method.ts'

export const getMusicFolders = method({
  summary: 'One folder, which is the library.',
  input: noInput,
  run: () => ({ musicFolders: { musicFolder: [{ id: 1, name: 'Library' }] } })
})
