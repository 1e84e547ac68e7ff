package org.openapitools.jackson.nullable;

/** In place of the package, which Debian does not have: no answer that Call.java reads has such a field. */
public class JsonNullableModule extends com.fasterxml.jackson.databind.module.SimpleModule {}
