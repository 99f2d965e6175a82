/// Signatures of programs, and the teams that are trusted to make them.
package enum CodeSignature {}
