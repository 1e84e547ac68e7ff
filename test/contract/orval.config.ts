export default {
  relay: {
    input: '../../openapi.yaml',
    output: { target: 'generated/orval/client.ts', client: 'fetch', override: { mutator: { path: 'orval-fetch.ts', name: 'fetchFrom' } } }
  }
}
