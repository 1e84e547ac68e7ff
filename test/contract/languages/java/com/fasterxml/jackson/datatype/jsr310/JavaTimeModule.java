package com.fasterxml.jackson.datatype.jsr310;

/** In place of the package, which Debian does not have: the document has no dates. */
public class JavaTimeModule extends com.fasterxml.jackson.databind.module.SimpleModule {}
