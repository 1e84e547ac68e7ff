export default {
  relay: {
    input: '../../openapi.yaml',
    output: {
      target: 'generated/orval/client.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true },
      override: { mutator: { path: 'orval-fetch.ts', name: 'fetchFrom' } }
    }
  }
}
