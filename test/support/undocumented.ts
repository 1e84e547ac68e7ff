/** Finds what an editor can say nothing about: exported names, and everything that is reached from them, without a comment. */
import ts from 'typescript-api'

/**
 * Returns the paths of undocumented names, such as `createRelay().getLyric().parsed`. Only declarations beside the
 * entry count, and none that is internal: the package does not have those.
 */
export function undocumented (program: ts.Program, entry: string): {
  readonly missing: readonly string[], readonly found: number
} {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${entry} is no module of the program`)
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1)
  const isBeside = (node: ts.Declaration): boolean => node.getSourceFile().fileName.startsWith(folder)
  const isOwn = (symbol: ts.Symbol): boolean => symbol.declarations?.some(isBeside) === true
  const isInternal = (symbol: ts.Symbol): boolean => symbol.getJsDocTags().some(({ name }) => name === 'internal')
  /** A type of another package, with or without what we add to it. */
  const isForeign = ({ symbol }: { symbol?: ts.Symbol }): boolean =>
    symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0
      && symbol.declarations?.every(isBeside) !== true
  const seen = new Set<ts.Type>()
  const missing: string[] = []
  let found = 0

  function need (symbol: ts.Symbol, path: string): void {
    found++
    if (symbol.getDocumentationComment(checker).length === 0) missing.push(path)
  }

  function visit (type: ts.Type, path: string): void {
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, path)
    if ((type.flags & ts.TypeFlags.Object) === 0) return
    // Elements of arrays, and results of promises.
    for (const part of checker.getTypeArguments(type as ts.TypeReference)) visit(part, path)
    if (isForeign(type)) return
    for (const { type: value } of checker.getIndexInfosOfType(type)) visit(value, `${path}[]`)
    for (const property of type.getProperties().filter((each) => isOwn(each) && !isInternal(each))) {
      need(property, `${path}.${property.name}`)
      visit(checker.getTypeOfSymbol(property), `${path}.${property.name}`)
    }
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.getParameters()) {
        visit(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`)
      }
      visit(signature.getReturnType(), `${path}()`)
    }
  }

  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : checker.getAliasedSymbol(exported)
    need(symbol, symbol.name)
    if ((symbol.flags & ts.SymbolFlags.Type) !== 0) visit(checker.getDeclaredTypeOfSymbol(symbol), symbol.name)
    if ((symbol.flags & ts.SymbolFlags.Value) !== 0) visit(checker.getTypeOfSymbol(symbol), symbol.name)
  }
  return { missing, found }
}
